/** What Node has for files, whose addresses its `fetch` refuses. */
interface Files {
  readFile(url: URL): Promise<Uint8Array<ArrayBuffer>>;
}

interface Host {
  readonly process?: { getBuiltinModule?(name: "node:fs/promises"): Files | undefined };
}

/** Compiles the module at a URL: while it arrives where the server names its type, else when all of it is there. */
export async function moduleAt(url: URL): Promise<WebAssembly.Module> {
  const files = url.protocol === "file:" ? builtinFiles() : undefined;
  if (files !== undefined) return WebAssembly.compile(await files.readFile(url));
  const response = await fetch(url);
  if (!response.ok) throw new TypeError(`${url.href} answers with status ${response.status}`);
  const isNamed = response.headers.get("content-type") === "application/wasm";
  if (isNamed) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

function builtinFiles(): Files | undefined {
  return (globalThis as Host).process?.getBuiltinModule?.("node:fs/promises");
}
