// Layouts to look at.
export type { CellColour, CellContent, Drawable, PictureOptions, SvgOptions } from "./pictures/options.js";
export { toSvg } from "./pictures/svg.js";
export { toTable } from "./pictures/table.js";
