import { md5, sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

const algorithms: ReadonlyMap<string, (bytes: Uint8Array) => Uint8Array> = new Map([
  ['md5', md5],
  ['sha1', sha1],
  ['sha256', sha256],
  ['sha384', sha384],
  ['sha512', sha512],
]);

interface Hash {
  update(text: string): Hash;
  digest(encoding: 'hex'): string;
}

/**
 * What expressions use of `node:crypto`, whose place it takes in the page: the browser's own hashes are asynchronous,
 * while an evaluation is not.
 * @param name - Node's name of the algorithm
 * @throws RangeError for an algorithm that no expression can name
 */
export const createHash = (name: string): Hash => {
  const algorithm = algorithms.get(name);
  if (algorithm === undefined) throw new RangeError(`no hash ${name} in the page`);
  const texts: string[] = [];
  const hash: Hash = {
    update: (text) => {
      texts.push(text);
      return hash;
    },
    digest: () => bytesToHex(algorithm(utf8ToBytes(texts.join('')))),
  };
  return hash;
};
