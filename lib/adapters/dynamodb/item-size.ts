import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/**
 * Bytes of an item as DynamoDB counts them.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export const itemSize = (item: Readonly<Record<string, AttributeValue>>): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0);

const valueSize = ({ S, N, B, L, M, SS, NS, BS }: AttributeValue): number => {
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return numberSize(N);
  if (B !== undefined) return bytesSize(B);
  if (L !== undefined) return 3 + L.reduce((sum, value) => sum + 1 + valueSize(value), 0);
  if (M !== undefined) return 3 + Object.keys(M).length + itemSize(M);
  if (SS !== undefined) return SS.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (NS !== undefined) return NS.reduce((sum, number) => sum + numberSize(number), 0);
  if (BS !== undefined) return BS.reduce((sum, bytes) => sum + bytesSize(bytes), 0);
  return 1; // a boolean or null
};

/** A byte per two significant digits, and one more: leading and trailing zeroes are trimmed. */
const numberSize = (number: string): number => {
  const [mantissa = ''] = number.toLowerCase().split('e');
  const digits = mantissa.replace(/[-+.]/g, '').replace(/^0+/, '');
  let length = digits.length;
  while (digits[length - 1] === '0') length--;
  return Math.ceil(length / 2) + 1;
};

/** As JSON, bytes are base64. */
const bytesSize = (bytes: unknown): number =>
  bytes instanceof Uint8Array ? bytes.byteLength : Buffer.byteLength(String(bytes), 'base64');
