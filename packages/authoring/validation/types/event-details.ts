import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { listOf, NUMBER, TEXT, type Type } from './types.ts';

/** An object that may have other fields, since AWS adds some without notice, and none of which is sure to be there. */
const open = (properties: Readonly<Record<string, Type>>): Type => ({ type: 'object', properties });

const texts = (names: string): Readonly<Record<string, Type>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, TEXT]));

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html */
const ENVELOPE = {
  ...texts('version id source account time region detail-type replay-name'),
  resources: listOf(TEXT),
};

interface Source {
  readonly detailTypes: readonly string[];
  readonly detail: Type;
}

/**
 * The details of events of AWS services, by their source. Only what AWS documents for each of the types, with the JSON type of
 * its fields. Sources whose documentation has samples alone are not here: a field of a sample may be of another type elsewhere.
 */
const SOURCES: Readonly<Record<string, Source>> = {
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html
  'aws.s3': {
    detailTypes:
      'Object Created,Object Deleted,Object Restore Initiated,Object Restore Completed,Object Restore Expired,Object Storage Class Changed,Object Access Tier Changed,Object ACL Updated,Object Tags Added,Object Tags Deleted'.split(
        ',',
      ),
    detail: open({
      ...texts('version request-id requester source-ip-address reason deletion-type restore-expiry-time'),
      ...texts('source-storage-class destination-storage-class destination-access-tier'),
      bucket: open({ name: TEXT }),
      object: open({ ...texts('key etag version-id sequencer'), size: NUMBER }),
    }),
  },
};

/**
 * Adds to what an event trigger delivers what is known of the events that its pattern selects: of others, such as calls that
 * CloudTrail reports for the same source, only the envelope.
 */
export const describeEvent = (declared: JsonObject, { pattern }: JsonObject): JsonObject => {
  const { source, 'detail-type': detailType } = (isPlainObject(pattern) ? pattern : {}) as JsonObject;
  const [name, ...others] = Array.isArray(source) ? source : [];
  const known = typeof name === 'string' && others.length === 0 ? SOURCES[name] : undefined;
  const isKnown =
    Array.isArray(detailType) &&
    detailType.length > 0 &&
    detailType.every((one) => known?.detailTypes.includes(String(one)));
  const detail = known !== undefined && isKnown ? { detail: known.detail } : {};
  const properties = declared.properties as JsonObject;
  return { ...declared, properties: { ...properties, event: open({ ...ENVELOPE, ...detail }) } };
};
