// JSON as Python writes it: like the standard, plus NaN, Infinity and -Infinity. What cannot be
// read is reported with line, column and the path of the element that was being read.

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject { [key: string]: Json }

/** Something is wrong with a file. `place` says where: a line and column, or a JSON pointer. */
export class FileError extends Error {
  constructor(readonly place: string, readonly what: string) {
    super(place === '' ? what : `${place}: ${what}`);
  }
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function asArray(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** What a value is, for messages. */
export function describe(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return value.length > 24 ? `'${value.slice(0, 24)}…'` : `'${value}'`;
  return String(value);
}

export function pointer(...parts: (string | number)[]): string {
  return parts.map((p) => '/' + String(p).replace(/~/g, '~0').replace(/\//g, '~1')).join('');
}

export function unescapePointer(part: string): string {
  return part.replace(/~1/g, '/').replace(/~0/g, '~');
}

/** The browser's parser is tried first, as it is many times faster than ours. */
export function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return parseTolerant(text);
  }
}

interface Level { value: Json[] | JsonObject; key: string | number }

/** No recursion: SDFGs nest thousands deep. */
function parseTolerant(text: string): Json {
  let at = 0;
  const levels: Level[] = [];

  const fail = (expected: string): never => {
    const before = text.slice(0, at);
    const line = before.split('\n').length;
    const column = at - before.lastIndexOf('\n');
    const path = levels.map((l) => pointer(l.key)).join('');
    const found = at >= text.length ? 'the end of the file' : describe(text.slice(at, at + 12));
    const where = `line ${line}, column ${column}` + (path === '' ? '' : `, in ${path}`);
    throw new FileError(where, `expected ${expected}, found ${found}`);
  };
  const skip = (): void => {
    while (at < text.length && ' \t\r\n'.includes(text[at]!)) at++;
  };
  const readString = (): string => {
    const start = at++;
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    if (at >= text.length) fail('the closing quote of a string');
    at++;
    try {
      return JSON.parse(text.slice(start, at)) as string;
    } catch {
      at = start;
      return fail('a string without stray control characters or escapes');
    }
  };
  const words: [string, Json][] = [
    ['true', true], ['false', false], ['null', null],
    ['NaN', NaN], ['Infinity', Infinity], ['-Infinity', -Infinity],
  ];
  const readAtom = (): Json => {
    if (text[at] === '"') return readString();
    for (const [word, value] of words) {
      if (text.startsWith(word, at)) {
        at += word.length;
        return value;
      }
    }
    const number = /-?\d+(\.\d+)?([eE][-+]?\d+)?/y;
    number.lastIndex = at;
    const match = number.exec(text);
    if (match === null) return fail('a value');
    at += match[0].length;
    return Number(match[0]);
  };
  const readKey = (level: Level): void => {
    skip();
    if (text[at] !== '"') fail('a key in quotes');
    level.key = readString();
    skip();
    if (text[at] !== ':') fail("':'");
    at++;
  };

  for (;;) {
    skip();
    let value: Json;
    const opener = text[at];
    if (opener === '{' || opener === '[') {
      at++;
      skip();
      const closer = opener === '{' ? '}' : ']';
      const fresh: Json[] | JsonObject = opener === '{' ? {} : [];
      if (text[at] !== closer) {
        const level: Level = { value: fresh, key: 0 };
        levels.push(level);
        if (opener === '{') readKey(level);
        continue;
      }
      at++;
      value = fresh;
    } else {
      value = readAtom();
    }
    // The value is complete: put it into its holder, and close the holders that end here.
    for (;;) {
      const level = levels[levels.length - 1];
      skip();
      if (level === undefined) {
        if (at < text.length) fail('the end of the file');
        return value;
      }
      const list = Array.isArray(level.value);
      (level.value as JsonObject)[level.key as string] = value;
      if (text[at] === ',') {
        at++;
        if (list) level.key = (level.key as number) + 1;
        else readKey(level);
        break;
      }
      if (text[at] !== (list ? ']' : '}')) fail(list ? "',' or ']'" : "',' or '}'");
      at++;
      value = level.value;
      levels.pop();
    }
  }
}
