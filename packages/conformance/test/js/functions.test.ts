import { testFamily } from "./family.js";

testFamily("functions", "default");
