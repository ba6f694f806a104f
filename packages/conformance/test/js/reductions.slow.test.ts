import { testFamily } from "./family.js";

testFamily("reductions", "long");
