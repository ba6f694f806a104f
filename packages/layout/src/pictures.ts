// Layouts to look at.
export { toTable } from "./pictures/table.js";
