import { testFamily } from "./family.js";

testFamily("images", "default");
