import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Alphabet, readBook } from "../src/text.js";

describe("Alphabet", () => {
  test("numbers the characters of a text in their own order", () => {
    const alphabet = new Alphabet("banana ☃");
    expect(alphabet.characters).toEqual([" ", "a", "b", "n", "☃"]);
    expect(Array.from(alphabet.encode("nab"))).toEqual([3, 1, 2]);
    expect(alphabet.decode([3, 1, 2, 4])).toBe("nab☃");
  });
  test("what was encoded is decoded, characters beyond 16 bits too, and its characters give it again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
        const alphabet = new Alphabet(text);
        expect(alphabet.decode(alphabet.encode(text))).toBe(text);
        expect(new Alphabet(alphabet.characters.join("")).characters).toEqual(alphabet.characters);
      }),
    );
  });
  test("a character that it does not have is refused", () => {
    expect(() => new Alphabet("ab").encode("abc")).toThrow(expect.objectContaining({ code: "SW_CHAR_UNKNOWN" }));
    expect(() => new Alphabet("ab").encode("abc")).toThrow(
      'encode: a character is not in the text that the model learns from: got "c", expected one of its 2.',
    );
  });
});

test("the book is the whole novel", async () => {
  const book = await readBook();
  expect(book).toMatch(/^CHAPTER 1\. Loomings\.\s+Call me Ishmael\./);
  expect(book.length).toBeGreaterThan(1_190_000);
  expect(new Alphabet(book).size).toBeLessThan(100);
});
