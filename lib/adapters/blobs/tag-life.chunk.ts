import { createHash } from 'node:crypto';
import type { LifeDays } from '../../executions/record/blob-store.ts';
import type { AskS3 } from './ask-s3.ts';

/** The tag in the bucket's lifecycle rules. */
export const LIFE_TAG = 'life';

/**
 * Sets an object's only tag, or removes it. https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectTagging.html
 * @param expected - as for `AskS3`
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const tagLife = async (
  ask: AskS3,
  key: string,
  life: LifeDays,
  expected: readonly number[] = [],
): Promise<void> => {
  const path = `/${key}?tagging=`;
  if (life === null) {
    await ask({ method: 'DELETE', path }, expected);
    return;
  }
  const tag = `<Tag><Key>${LIFE_TAG}</Key><Value>${life}</Value></Tag>`;
  const body = `<Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><TagSet>${tag}</TagSet></Tagging>`;
  const headers = {
    'content-type': 'application/xml',
    'content-md5': createHash('md5').update(body).digest('base64'), // S3 requires it
  };
  await ask({ method: 'PUT', path, headers, body }, expected);
};
