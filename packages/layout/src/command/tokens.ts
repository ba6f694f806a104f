import { describe, LayoutError } from "../errors.js";

const WHITE_SPACE = " \t\n\r\f\v";

/** What a token of a command is (VA-42). @since 0.1.0 */
export type CommandTokenKind = "left_paren" | "right_paren" | "comma" | "arrow" | "one" | "symbol";

/** A word of a command, and where it stands. @since 0.1.0 */
export interface CommandToken {
  readonly kind: CommandTokenKind;
  /** The characters themselves. */
  readonly value: string;
  /** The position of its first character. */
  readonly start: number;
  /** The position after its last character. */
  readonly end: number;
}

/**
 * Splits a command into its tokens (VA-42): parentheses, commas, arrows, `1` and names of a letter and more letters,
 * digits or underscores. White space separates tokens. O(length).
 *
 * @throws TypeError when the text is not a string; LayoutError `SW_LAYOUT_COMMAND` with the `position`.
 * @example
 * ```ts
 * import { tokenizeCommand } from "@sw/layout/command";
 * console.log(tokenizeCommand("a b->b").map((token) => token.value)); // [ 'a', 'b', '->', 'b' ]
 * ```
 * @since 0.1.0
 */
export function tokenizeCommand(text: string): CommandToken[] {
  return tokensOf("tokenizeCommand", text);
}

/** As `tokenizeCommand`, for any operation. */
export function tokensOf(operation: string, text: string): CommandToken[] {
  if (typeof text !== "string") {
    throw new TypeError(
      `${operation}: command is not a string: got ${describe(text)}, expected a string such as "a b -> b a".`,
    );
  }
  const tokens: CommandToken[] = [];
  let at = 0;
  const push = (kind: CommandTokenKind, end: number): void => {
    tokens.push({ kind, value: text.slice(at, end), start: at, end });
    at = end;
  };
  while (at < text.length) {
    const character = text[at]!;
    if (WHITE_SPACE.includes(character)) at++;
    else if (character === "(") push("left_paren", at + 1);
    else if (character === ")") push("right_paren", at + 1);
    else if (character === ",") push("comma", at + 1);
    else if (character === "-") {
      if (text[at + 1] !== ">") throw unexpected(operation, text, at, "the arrow ->");
      push("arrow", at + 2);
    } else if (character === "1") {
      if (isWord(text.charCodeAt(at + 1))) throw unexpected(operation, text, at, "1 to stand alone");
      push("one", at + 1);
    } else if (isLetter(text.charCodeAt(at))) {
      let end = at + 1;
      while (isWord(text.charCodeAt(end))) end++;
      push("symbol", end);
    } else throw unexpected(operation, text, at, 'a name, "1", a parenthesis, a comma or ->, all of ASCII');
  }
  return tokens;
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

function isWord(code: number): boolean {
  return isLetter(code) || (code >= 48 && code <= 57) || code === 95;
}

function unexpected(operation: string, text: string, position: number, expected: string): LayoutError {
  const got = describe(String.fromCodePoint(text.codePointAt(position)!));
  return commandError(operation, "an unexpected character", got, expected, position);
}

/** Builds the error of a command: `position` where one character or token is at fault. */
export function commandError(
  operation: string,
  what: string,
  got: string,
  expected: string,
  position?: number,
): LayoutError {
  const where = position === undefined ? "" : ` at position ${position}`;
  const problem = `command has ${what}${where}: got ${got}, expected ${expected}.`;
  return new LayoutError("SW_LAYOUT_COMMAND", operation, problem, position === undefined ? {} : { position });
}
