import type { UploadStore } from '../../executions/files/upload-store.ts';
import type { BlobStore } from '../../executions/record/blob-store.ts';
import type { CallAws } from '../aws/aws-caller.ts';
import { createAskS3 } from './ask-s3.ts';

/**
 * Blobs as objects in a bucket. https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html
 */
export const createS3BlobStore = (call: CallAws): BlobStore => {
  const ask = createAskS3(call);
  return {
    put: async (key, bytes) => {
      const headers = { 'content-type': 'application/octet-stream' };
      await ask({ method: 'PUT', path: `/${key}`, headers, body: bytes });
    },
    get: async (key) => {
      const { status, body } = await ask({ method: 'GET', path: `/${key}` }, [404]);
      return status === 404 ? null : body;
    },
    keep: async (key, life) => (await import('./tag-life.chunk.ts')).tagLife(ask, key, life, [404]),
    remove: async (key) => {
      await ask({ method: 'DELETE', path: `/${key}` });
    },
  };
};

/**
 * Uploads as objects in a bucket. An upload is pending as long as it has the tag, so that keeping it copies no bytes.
 */
export const createS3UploadStore = (
  call: CallAws,
  parts: Pick<UploadStore, 'maxBytes' | 'sign'>,
): UploadStore => {
  const ask = createAskS3(call);
  return {
    ...parts,
    findSize: async (key) => {
      const { status, headers } = await ask({ method: 'HEAD', path: `/${key}` }, [404]);
      return status === 404 ? null : Number(headers['content-length']);
    },
    keep: async (key, life) => (await import('./tag-life.chunk.ts')).tagLife(ask, key, life),
  };
};
