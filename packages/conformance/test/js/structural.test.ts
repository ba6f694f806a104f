import { testFamily } from "./family.js";

testFamily("structural", "default");
