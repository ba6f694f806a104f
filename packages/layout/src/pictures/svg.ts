import { describe } from "../errors.js";
import { fills } from "./colours.js";
import type { Drawable, SvgOptions } from "./options.js";
import { pictureOf } from "./picture.js";
import { ADVANCE, drawPlane, INK, LINE, PAPER, place } from "./svg-plane.js";

/** Around tables, in pixels. */
const MARGIN = 12;

/**
 * Draws a layout, or any map of indices, as an SVG document: the first axis downwards, the second across, by ordinal.
 *
 * Nested modes are boxes in boxes with thicker borders outwards; the tiles of a tiler are the outermost. Of more than two
 * axes each pair of the first two is a table of its own, the third axis across. The text depends on the arguments alone,
 * and the picture has a ground of its own: the page around it may be light or dark.
 *
 * @throws TypeError, LayoutError as `toTable`; `SW_LAYOUT_PICTURE` for the colour "owner" where there are none.
 * @example
 * ```ts
 * import { parseLayout, rowMajor } from "@sw/layout";
 * import { toSvg } from "@sw/layout/pictures";
 * const threads = parseLayout("((2,2),(2,2)):((2,8),(1,4))"); // 4 threads, 4 values each
 * console.log(toSvg(rowMajor([4, 4]), { threadValue: threads }).slice(0, 4)); // <svg
 * ```
 * @since 0.1.0
 */
export function toSvg(drawn: Drawable, options: SvgOptions = {}): string {
  const picture = pictureOf("toSvg", drawn, options);
  const fill = fills(picture, options);
  const withPath = options.path ?? false;
  if (typeof withPath !== "boolean") {
    throw new TypeError(`toSvg: path is not a boolean: got ${describe(withPath)}, expected true or false.`);
  }
  const table = place(picture, withPath);
  const { across } = picture;
  const body: string[] = [];

  let width = table.width * across + MARGIN * (across + 1);
  // A long heading is broken: the picture is not widened without end.
  const room = Math.floor((Math.max(width, 480) - 2 * MARGIN) / ADVANCE);
  const heading = picture.heading.flatMap((line) => broken(line, room));
  if (picture.planes.length === 0) heading.push("(empty)");
  let height = MARGIN;
  for (const line of heading) {
    body.push(`<text x="${MARGIN}" y="${height + 13}" text-anchor="start">${escaped(line)}</text>`);
    width = Math.max(width, Math.ceil(line.length * ADVANCE) + 2 * MARGIN);
    height += LINE;
  }
  if (heading.length > 0) height += MARGIN / 2;

  picture.planes.forEach((plane, p) => {
    const x = MARGIN + (p % across) * (table.width + MARGIN);
    const y = height + Math.floor(p / across) * (table.height + MARGIN);
    body.push(`<g transform="translate(${x} ${y})">`, drawPlane(picture, plane, table, fill, withPath), "</g>");
  });
  height += Math.ceil(picture.planes.length / across) * (table.height + MARGIN);

  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="12" text-anchor="middle" fill="${INK}">`,
    `<title>${escaped(options.title || picture.captions.join(", "))}</title>`,
    `<rect width="${width}" height="${height}" rx="6" fill="${PAPER}"/>`,
    ...body,
    "</svg>",
    "",
  ].join("\n");
}

/** Cuts a line into pieces of so many characters. */
function broken(line: string, room: number): string[] {
  const characters = [...line];
  const out: string[] = [];
  for (let i = 0; i === 0 || i < characters.length; i += room) out.push(characters.slice(i, i + room).join(""));
  return out;
}

/** Text as XML takes it, without what it forbids even as an entity. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
