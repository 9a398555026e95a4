// Values of symbolic expressions, for sizes: numbers, names, + - * / // % **, parentheses and the
// few functions that sizes use. What is not known gives null, never a guess.

type Tokens = { list: string[]; at: number };
type Value = number | null;

const functions: Record<string, (...a: number[]) => number> = {
  Min: Math.min, min: Math.min, Max: Math.max, max: Math.max, Abs: Math.abs, abs: Math.abs,
  floor: Math.floor, ceiling: Math.ceil, ceil: Math.ceil, sqrt: Math.sqrt,
  int_floor: (a, b) => Math.floor(a / b!), __int_floor: (a, b) => Math.floor(a / b!), int_ceil: (a, b) => Math.ceil(a / b!),
  Mod: (a, b) => a - b! * Math.floor(a / b!),
};

export function evaluate(text: string, symbols: ReadonlyMap<string, number>): Value {
  const list = text.match(/\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+|[A-Za-z_]\w*|\*\*|\/\/|[-+*/%(),]|\S/g) ?? [];
  const tokens: Tokens = { list, at: 0 };
  const value = sum(tokens, symbols);
  return tokens.at === list.length && value !== null && Number.isFinite(value) ? value : null;
}

function sum(t: Tokens, symbols: ReadonlyMap<string, number>): Value {
  let value = product(t, symbols);
  for (let op = t.list[t.at]; op === '+' || op === '-'; op = t.list[t.at]) {
    t.at++;
    const other = product(t, symbols);
    value = value === null || other === null ? null : op === '+' ? value + other : value - other;
  }
  return value;
}

function product(t: Tokens, symbols: ReadonlyMap<string, number>): Value {
  let value = unary(t, symbols);
  for (let op = t.list[t.at]; op === '*' || op === '/' || op === '//' || op === '%'; op = t.list[t.at]) {
    t.at++;
    const other = unary(t, symbols);
    if (value === null || other === null) value = null;
    else if (op === '*') value *= other;
    else if (op === '/') value /= other;
    else if (op === '//') value = Math.floor(value / other);
    else value -= other * Math.floor(value / other);
  }
  return value;
}

function unary(t: Tokens, symbols: ReadonlyMap<string, number>): Value {
  if (t.list[t.at] === '-') {
    t.at++;
    const value = unary(t, symbols);
    return value === null ? null : -value;
  }
  if (t.list[t.at] === '+') { t.at++; return unary(t, symbols); }
  const base = atom(t, symbols);
  if (t.list[t.at] !== '**') return base;
  t.at++;
  const power = unary(t, symbols);
  return base === null || power === null ? null : Math.pow(base, power);
}

function atom(t: Tokens, symbols: ReadonlyMap<string, number>): Value {
  const token = t.list[t.at++];
  if (token === undefined) return null;
  if (token === '(') {
    const value = sum(t, symbols);
    return t.list[t.at++] === ')' ? value : null;
  }
  if (/^[\d.]/.test(token)) return Number(token);
  if (!/^\w/.test(token)) return null;
  if (t.list[t.at] !== '(') return symbols.get(token) ?? null;
  t.at++;
  const values: Value[] = [];
  while (t.at < t.list.length && t.list[t.at] !== ')') {
    values.push(sum(t, symbols));
    if (t.list[t.at] === ',') t.at++;
    else if (t.list[t.at] !== ')') return null;
  }
  t.at++;
  const known = functions[token];
  if (known === undefined || values.some((v) => v === null)) return null;
  return known(...(values as number[]));
}
