/** Imports a peer: from here, where the peers are installed, and nowhere else in the repository. */
export function peer(name) {
  return import(name);
}

/** Where a file of a peer is. */
export function locate(file) {
  return new URL(`node_modules/${file}`, import.meta.url);
}
