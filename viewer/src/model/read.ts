// From the bytes of a file to what it is. Extensions are not trusted: plain JSON may be called
// .sdfgz, and a .sdfgz may be a link stored as text.

import { asText, describe, FileError, isObject, parseJson, type JsonObject } from './json';

export type FileKind = 'sdfg' | 'history' | 'trace' | 'report';
export interface ReadFile { name: string; kind: FileKind; json: JsonObject }

export async function readFile(name: string, bytes: Uint8Array): Promise<ReadFile> {
  const text = await readText(bytes);
  const json = parseJson(text);
  if (!isObject(json)) throw new FileError('/', `expected an object, found ${describe(json)}`);
  return { name, kind: fileKind(json), json };
}

export function fileKind(json: JsonObject): FileKind {
  if (json['type'] === 'SDFG') return 'sdfg';
  if (json['type'] === 'SDFGHistory') return 'history';
  if (json['type'] === 'SDFGReport') return 'report';
  if (Array.isArray(json['traceEvents'])) return 'trace';
  if (json['type'] === undefined) throw new FileError('/', "expected the key 'type' with the value 'SDFG', found no such key");
  throw new FileError('/type', `expected 'SDFG', 'SDFGHistory' or 'SDFGReport', found ${describe(asText(json['type']))}`);
}

async function readText(bytes: Uint8Array): Promise<string> {
  if (bytes.length === 0) throw new FileError('byte 0', 'the file is empty');
  if (bytes[0] === 0x80) throw new FileError('byte 0', 'this is a Python pickle; save the SDFG as JSON');
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const plain = zipped ? await gunzip(bytes) : bytes;
  const text = new TextDecoder('utf-8').decode(plain);
  if (!/^\s*[{[]/.test(text.slice(0, 4096))) {
    const first = text.trimStart().slice(0, 40);
    throw new FileError('byte 0', `expected '{', found ${describe(first)}; this is not SDFG JSON`);
  }
  return text;
}

export async function gunzip(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream('gzip'));
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FileError(`compressed data of ${bytes.length} bytes`, `damaged or cut short (${reason || 'gzip'})`);
  }
}
