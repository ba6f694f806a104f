import { testFamily } from "./family.js";

testFamily("rows", "long");
