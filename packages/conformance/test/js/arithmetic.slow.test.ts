import { testFamily } from "./family.js";

testFamily("arithmetic", "long");
