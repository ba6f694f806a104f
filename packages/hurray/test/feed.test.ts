import fc from "fast-check";
import { expect, test } from "vitest";
import { type ByteInput, openFeed } from "../src/bytes/feed.js";
import { thrown } from "./support.js";

const TEXT = Uint8Array.from({ length: 200 }, (_, k) => k);

/** The bytes in chunks of given lengths, empty ones too. */
function chunked(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (const length of lengths) {
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return [...chunks, bytes.subarray(at)];
}

async function* later(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
  for (const chunk of chunks) {
    await Promise.resolve();
    yield chunk;
  }
}

const streamOf = (chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
const ways: readonly ((chunks: readonly Uint8Array[]) => ByteInput)[] = [(chunks) => chunks, later, streamOf];

test("what is taken is what was given, however it is cut and whatever it comes from", async () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(lengths, lengths, fc.constantFrom(...ways), async (cuts, takes, way) => {
      const feed = openFeed(way(chunked(TEXT, cuts)), "test");
      let at = 0;
      for (const length of takes) {
        const end = Math.min(at + length, TEXT.length);
        expect(await feed.take(length)).toEqual(TEXT.slice(at, end));
        at = end;
        expect(feed.position).toBe(at);
        expect(await feed.atEnd()).toBe(at === TEXT.length);
      }
    }),
  );
});

test("bytes taken are memory of their own: a source may use its chunk again", async () => {
  const chunk = new Uint8Array(4);
  function* reusing(): Generator<Uint8Array, void, void> {
    for (let k = 1; k <= 3; k++) yield chunk.fill(k);
  }
  const feed = openFeed(reusing(), "test");
  expect([...(await feed.take(6))]).toEqual([1, 1, 1, 1, 2, 2]);
  expect([...(await feed.take(6, Uint8Array.of(9)))]).toEqual([9, 2, 2, 3, 3, 3]);
});

test("a declared length of 2^40 costs what has arrived, not what was declared", async () => {
  const feed = openFeed([TEXT], "test");
  expect(await feed.take(2 ** 40)).toEqual(TEXT);
});

test("an input is opened when something is wanted of it, and let go when no more is", async () => {
  const log: string[] = [];
  async function* noted(): AsyncGenerator<Uint8Array, void, void> {
    log.push("opened");
    try {
      yield* [TEXT, TEXT];
    } finally {
      log.push("closed");
    }
  }
  const feed = openFeed(noted(), "test");
  expect(log).toEqual([]);
  await feed.take(1);
  await feed.close();
  await feed.close();
  expect(log).toEqual(["opened", "closed"]);

  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(TEXT),
    cancel: () => {
      cancelled = true;
    },
  });
  const other = openFeed(stream, "test");
  await other.take(300);
  await other.close();
  expect(cancelled).toBe(true);
});

test("a signal ends the wait for an input that gives nothing", async () => {
  const never = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
  const control = new AbortController();
  const feed = openFeed(never, "test", control.signal);
  const waiting = thrown(() => feed.take(1));
  const reason = new Error("enough");
  control.abort(reason);
  expect(await waiting).toBe(reason);
  await feed.close();
});

test("an error of the input comes through, and closing afterwards adds none", async () => {
  const error = new Error("the line went dead");
  const broken = new ReadableStream<Uint8Array>({
    pull: () => {
      throw error;
    },
  });
  const feed = openFeed(broken, "test");
  expect(await thrown(() => feed.take(1))).toBe(error);
  await feed.close();
});

test("TypeError: what gives no chunks of bytes is refused, bytes themselves with advice", async () => {
  for (const wrong of [null, 3, "bytes", {}, new ArrayBuffer(3)]) {
    const error = await thrown(() => openFeed(wrong as unknown as ByteInput, "readItems"));
    expect(error).toBeInstanceOf(TypeError);
  }
  const view = await thrown(() => openFeed(TEXT as unknown as ByteInput, "readItems"));
  expect(view.message).toBe(
    "readItems: not something that gives chunks of bytes: got a view of bytes, expected a ReadableStream, or an iterable of Uint8Array. Put bytes in a list: [bytes].",
  );
  const feed = openFeed(["text"] as unknown as ByteInput, "readItems");
  const chunk = await thrown(() => feed.take(1));
  expect(chunk).toBeInstanceOf(TypeError);
  expect(chunk.message).toBe("readItems: the input gave something else than bytes: got string, expected a Uint8Array.");
});
