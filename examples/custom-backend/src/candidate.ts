// What `sw-conformance dist/candidate.js` tries: a module whose default export is a backend, or makes one.
export { handmade as default } from "./backend.js";
