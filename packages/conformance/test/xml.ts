/** An element of a document. */
export interface Element {
  readonly name: string;
  readonly attributes: { readonly [name: string]: string };
  readonly children: readonly Element[];
  readonly text: string;
}

const ENTITIES: { readonly [name: string]: string } = { amp: "&", lt: "<", gt: ">", quot: '"' };
const TAG = /^<(\/?)([A-Za-z]+)((?:\s+[A-Za-z]+="[^"<]*")*)\s*(\/?)>/;

/** Reads XML strictly, as far as reports use it: anything else is an error, and so is text that XML cannot have. */
export function parseXml(text: string): Element {
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
  if (!text.startsWith(declaration)) throw new Error("no declaration");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text) || !isWellFormed(text))
    throw new Error("characters");
  let rest = text.slice(declaration.length);
  const document: Writable = { name: "", attributes: {}, children: [], text: "" };
  const open: Writable[] = [document];
  while (rest !== "") {
    const top = open.at(-1)!;
    if (!rest.startsWith("<")) {
      const end = rest.indexOf("<") < 0 ? rest.length : rest.indexOf("<");
      top.text += unescaped(rest.slice(0, end));
      rest = rest.slice(end);
      continue;
    }
    const [all, closes, name, attributes, isEmpty] = TAG.exec(rest) ?? [];
    if (all === undefined) throw new Error(`no tag: ${rest.slice(0, 40)}`);
    rest = rest.slice(all.length);
    if (closes === "/") {
      if (open.pop()!.name !== name) throw new Error(`${name} closes another element`);
      continue;
    }
    const pairs = [...attributes!.matchAll(/([A-Za-z]+)="([^"]*)"/g)].map((m) => [m[1]!, unescaped(m[2]!)] as const);
    if (new Set(pairs.map(([key]) => key)).size < pairs.length) throw new Error("an attribute twice");
    const element: Writable = { name: name!, attributes: Object.fromEntries(pairs), children: [], text: "" };
    top.children.push(element);
    if (isEmpty !== "/") open.push(element);
  }
  const [root, ...others] = document.children;
  if (open.length > 1 || root === undefined || others.length > 0 || document.text.trim() !== "")
    throw new Error("no one root");
  return root;
}

interface Writable extends Element {
  readonly children: Writable[];
  text: string;
}

function unescaped(text: string): string {
  if (text.includes(">")) throw new Error("a > of its own");
  return text.replaceAll(/&(#(\d+)|[a-z]+|)(;?)/g, (_, name: string, code: string | undefined, end: string) => {
    const value = code === undefined ? ENTITIES[name] : String.fromCodePoint(Number(code));
    if (value === undefined || end === "") throw new Error(`no entity: ${name}`);
    return value;
  });
}

function isWellFormed(text: string): boolean {
  return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
}
