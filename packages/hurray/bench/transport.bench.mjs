// How fast do tensors cross a Unix socket, beside the same bytes over a bare one? Aim: 0.5 of the bare socket. Both ends
// are in this process, which so does all the work of both; build first.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { store } from "@sw/hurray";
import { connectSocket, listen } from "@sw/hurray/node";
import { memoryStore } from "@sw/hurray/transport";
import { full } from "@sw/tensor";

const BYTES = 64 * 1024 * 1024;
const PIECE = 256 * 1024;
const ROUNDS = 12;

const folder = mkdtempSync(join(tmpdir(), "hurray-bench-"));
const path = join(folder, "hurray.sock");
const barePath = join(folder, "bare.sock");
const item = store(full([BYTES / 4], 1));
const [bytes] = item.buffers;

/** Sends the bytes to everyone who connects, and waits where the host says so. */
const bareServer = createServer(async (socket) => {
  for (let at = 0; at < BYTES; at += PIECE) {
    if (!socket.write(bytes.subarray(at, at + PIECE))) await once(socket, "drain");
  }
  socket.end();
});
bareServer.listen(barePath);
await once(bareServer, "listening");
/** Receives them into memory of their own. */
async function bare() {
  const into = new Uint8Array(BYTES);
  let filled = 0;
  for await (const chunk of connect(barePath)) {
    into.set(chunk, filled);
    filled += chunk.byteLength;
  }
  if (filled !== BYTES) throw new Error("bytes are missing");
}

const server = await listen(memoryStore({ w: item }), { path });
const client = await connectSocket({ path });
const rows = {
  "a bare socket": bare,
  get: () => client.get("w"),
  put: () => client.put("v", item),
};
const best = {};
for (let round = 0; round < ROUNDS; round++) {
  for (const [row, run] of Object.entries(rows)) {
    const begin = performance.now();
    await run();
    best[row] = Math.min(best[row] ?? Number.POSITIVE_INFINITY, performance.now() - begin);
  }
}
for (const [row, time] of Object.entries(best)) {
  const speed = (BYTES / 1e6 / time).toFixed(2);
  const share = (best["a bare socket"] / time).toFixed(2);
  console.log(`${row.padEnd(14)} ${speed} GB/s   ${share} of the bare socket, aim 0.50`);
}
await client.close();
await server.close();
bareServer.close();
rmSync(folder, { recursive: true });
