import { testFamily } from "./family.js";

testFamily("functions", "long");
