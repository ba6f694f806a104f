// The entry for node:test. It imports no runner: `registerCases` is handed one.
export { type RegisterOptions, registerCases, type TestContext, type TestRunner } from "./register.js";
