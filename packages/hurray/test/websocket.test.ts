import { describe, expect, test } from "vitest";
import { connect, memoryStore, serve, type WebSocketLike, webSocketChannel } from "../src/transport/index.js";
import { thrown } from "./support.js";
import { bytesTensor, expectSame, FakeClock, settled } from "./support-transport.js";

type Listener = (event: { readonly data?: unknown }) => void;

/** A WebSocket as pages have it, joined to another one; what is sent is buffered until it is let through. */
class FakeSocket implements WebSocketLike {
  binaryType = "blob";
  readyState = 0;
  bufferedAmount = 0;
  other: FakeSocket | undefined;
  isStuck = false;
  readonly sent: Uint8Array[] = [];
  private readonly listeners = new Map<string, Listener[]>();

  addEventListener(type: string, listener: Listener): void {
    this.listeners.set(type, [...(this.listeners.get(type) ?? []), listener]);
  }

  emit(type: string, data?: unknown): void {
    if (type === "open") this.readyState = 1;
    if (type === "close") this.readyState = 3;
    for (const listener of this.listeners.get(type) ?? []) listener({ data });
  }

  send(bytes: Uint8Array): void {
    this.sent.push(bytes.slice());
    this.bufferedAmount += bytes.byteLength;
    this.flush();
  }

  flush(): void {
    if (this.isStuck) return;
    for (const bytes of this.sent.splice(0)) {
      this.bufferedAmount -= bytes.byteLength;
      this.other?.emit("message", bytes.buffer);
    }
  }

  close(): void {
    for (const socket of [this, this.other]) {
      if (socket !== undefined && socket.readyState < 3) queueMicrotask(() => socket.emit("close"));
    }
  }
}

function pair(): [FakeSocket, FakeSocket] {
  const [a, b] = [new FakeSocket(), new FakeSocket()];
  a.other = b;
  b.other = a;
  return [a, b];
}

describe("a channel over a WebSocket", () => {
  test("carries a connection from before it is open until it is closed", async () => {
    const [page, host] = pair();
    const served = serve(webSocketChannel(host), memoryStore({ w: bytesTensor(700_000) }));
    const connecting = connect(webSocketChannel(page));
    expect(page.binaryType).toBe("arraybuffer");
    await settled();
    page.emit("open");
    host.emit("open");
    const client = await connecting;
    expectSame(await client.get("w"), bytesTensor(700_000));
    await client.close();
    await served;
    expect(await thrown(() => client.ping())).toMatchObject({ code: "SW_HURRAY_DISCONNECTED" });
  });

  test("a writer waits while much is under way", async () => {
    const clock = new FakeClock();
    const [socket] = pair();
    const channel = webSocketChannel(socket, { clock });
    socket.emit("open");
    socket.isStuck = true;
    let isWritten = false;
    const writing = channel.write(new Uint8Array(1_100_000)).then(() => {
      isWritten = true;
    });
    await clock.pass(100);
    expect(isWritten).toBe(false);
    socket.isStuck = false;
    socket.flush();
    await clock.pass(4);
    await writing;
    expect(clock.running).toBe(0);
  });

  test("a reader that is slow pauses a socket that can be paused, and gives up another one", async () => {
    const chunk = new ArrayBuffer(800_000);
    const pausing = Object.assign(new FakeSocket(), { isPaused: false, pause: () => {}, resume: () => {} });
    pausing.pause = () => {
      pausing.isPaused = true;
    };
    pausing.resume = () => {
      pausing.isPaused = false;
    };
    const chunks = webSocketChannel(pausing).readable[Symbol.asyncIterator]();
    for (let k = 0; k < 2; k++) pausing.emit("message", chunk);
    expect(pausing.isPaused).toBe(true);
    await chunks.next();
    expect(pausing.isPaused).toBe(false);

    const page = new FakeSocket();
    const given = webSocketChannel(page, { maximumWaitingBytes: 1_000_000 }).readable[Symbol.asyncIterator]();
    for (let k = 0; k < 2; k++) page.emit("message", chunk);
    await given.next();
    await given.next();
    expect(await thrown(() => given.next())).toMatchObject({ code: "SW_HURRAY_DISCONNECTED" });
  });

  test("text, failure and writes after the end are errors of ours; an end is an end", async () => {
    const cases: readonly (readonly [string, (socket: FakeSocket) => void])[] = [
      ["text", (socket) => socket.emit("message", "hello")],
      ["failed", (socket) => socket.emit("error")],
    ];
    for (const [word, act] of cases) {
      const socket = new FakeSocket();
      const channel = webSocketChannel(socket);
      const reading = channel.readable[Symbol.asyncIterator]().next();
      socket.emit("open");
      act(socket);
      const error = await thrown(() => reading);
      expect(error).toMatchObject({ name: "HurrayPeerError", code: "SW_HURRAY_DISCONNECTED" });
      expect(error.message).toContain(word);
    }
    const socket = new FakeSocket();
    const channel = webSocketChannel(socket);
    socket.emit("close");
    expect(await channel.readable[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
    expect(await thrown(() => channel.write(new Uint8Array(1)))).toMatchObject({ code: "SW_HURRAY_DISCONNECTED" });
    await channel.close();
  });
});
