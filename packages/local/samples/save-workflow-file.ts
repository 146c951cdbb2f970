import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPlainObject } from '@hookloom/plugin-kit';
import type { EditedDefinition } from '../../console/src/views/editor/definition/definition-edits.ts';
import {
  rewriteDefinition,
  writeDefinition,
} from '../../console/src/views/editor/definition/definition-text.ts';
import type { WorkflowFiles } from './watch-workflows.ts';

/** What is read of an event of the gateway. */
interface AdminEvent {
  readonly rawPath: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
  readonly requestContext: { readonly http: { readonly method: string } };
}

interface AdminResult {
  readonly statusCode: number;
  readonly body: string;
}

const PATH = /^\/api\/admin\/workflows\/([A-Za-z0-9_-]{1,64})$/;

/**
 * Writes a workflow that a page of this service has stored into its file of the folder, too; a new workflow gets a file
 * that is named after its id. In the file, only what was edited changes. A file that was edited since it was stored is
 * left alone, with a line in the log. Programs that store a workflow have a file of their own, so that nothing is written
 * for them.
 *
 * @param result - of the admin API
 * @returns the result, with the name of the file if it was written
 */
export const saveWorkflowFile = (
  event: unknown,
  result: unknown,
  { folder, files, log }: Target,
): unknown => {
  const { rawPath, headers, requestContext } = event as AdminEvent;
  const [, workflowId] = PATH.exec(rawPath) ?? [];
  if (workflowId === undefined || requestContext.http.method !== 'PUT') return result;
  // Browsers send it, and no page can change it.
  if (headers['sec-fetch-site'] !== 'same-origin') return result;
  const { statusCode, body } = result as AdminResult;
  if (statusCode !== 200 && statusCode !== 201) return result;
  const file = files.findFile(workflowId);
  const isNew = statusCode === 201 && !files.hasFile(workflowId);
  if (file === null && !isNew) return result;
  const name = file?.name ?? `${workflowId}.json`;
  const shown = `workflows/${name}`;
  try {
    const path = join(folder, name);
    if (file !== null && readFileSync(path, 'utf8') !== file.text) {
      log(`${shown} was edited meanwhile: ${workflowId}, which the console stored, is not written to it`);
      return result;
    }
    const definition = readBody(event as AdminEvent);
    const text = file === null ? newFile(definition) : rewriteFile(file.text, definition);
    if (file === null) writeFileSync(path, text, { flag: 'wx' });
    else if (text !== file.text) replaceFile(path, text);
    files.written(name, workflowId, text);
    return { ...(result as AdminResult), body: JSON.stringify({ ...JSON.parse(body), file: shown }) };
  } catch (error) {
    log(`${shown} was not written: ${(error as Error).message}`);
    return result;
  }
};

interface Target {
  readonly folder: string;
  readonly files: WorkflowFiles;
  readonly log: (line: string) => void;
}

const readBody = ({ body = '', isBase64Encoded = false }: AdminEvent): unknown =>
  JSON.parse(isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body);

const newFile = (definition: unknown): string => {
  if (!isPlainObject(definition)) throw new Error('it is not a JSON object');
  const file = { $schema: './workflow.schema.json', ...definition };
  return writeDefinition(file as unknown as EditedDefinition);
};

/** The text of a file with another definition; the schema that it names for editors is not part of the definition. */
const rewriteFile = (text: string, definition: unknown): string => {
  const former: unknown = JSON.parse(text);
  if (!isPlainObject(former) || !isPlainObject(definition)) throw new Error('it is not a JSON object');
  const { $schema } = former;
  const next = $schema === undefined ? definition : { $schema, ...definition };
  return rewriteDefinition(text, former as unknown as EditedDefinition, next as unknown as EditedDefinition);
};

/** Replaces a file at once, so that no reader sees half of it. No workflow file has the temporary name. */
const replaceFile = (path: string, text: string): void => {
  const written = `${path}.${process.pid}.tmp`;
  writeFileSync(written, text);
  renameSync(written, path);
};
