import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea, { type TextareaProps } from '@cloudscape-design/components/textarea';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { EditedNode } from '../definition/definition-edits.ts';
import { MAX_SAMPLE, readBodySchema } from './body-schema.ts';
import type { readCurl } from './curl-command.ts';

/** A node without its id, which depends on the workflow. */
export type NewNode = Omit<EditedNode, 'id'>;

interface ImportProps {
  readonly action: string;
  /** @param text - what the node is made from */
  readonly onNode: (node: NewNode, text: string) => void;
}

interface PastedFieldProps extends Pick<TextareaProps, 'value' | 'placeholder'> {
  readonly label: string;
  readonly description: string;
  /** Why nothing can be made of the text; null if it can. */
  readonly problem: string | null;
  readonly onChange: (text: string) => void;
}

const PastedField = ({ label, description, problem, onChange, ...area }: PastedFieldProps): ReactNode => (
  <FormField label={label} description={description} errorText={problem && `${problem}.`}>
    <Textarea {...area} rows={5} spellcheck={false} onChange={({ detail }) => onChange(detail.value)} />
  </FormField>
);

type Result<T> = { readonly value: T } | { readonly problem: string };

const attempt = <T,>(read: () => T): Result<T> => {
  try {
    return { value: read() };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
};

/** In characters of what is shown of a text that someone pasted. */
const MAX_SHOWN = 200;

/** Makes an httpRequest node from a curl command. */
export const CurlFields = ({ action, onNode }: ImportProps): ReactNode => {
  const [text, setText] = useState('');
  const [reader, setReader] = useState<{ readonly readCurl: typeof readCurl } | null>(null);
  const isEmpty = text.trim() === '';
  useEffect(() => {
    if (!isEmpty) void import('./curl-command.ts').then(setReader); // has a parser of bash
  }, [isEmpty]);
  const reading = useMemo(
    () => (isEmpty || reader === null ? null : attempt(() => reader.readCurl(text))),
    [text, isEmpty, reader],
  );
  const request = reading !== null && 'value' in reading ? reading.value : null;
  return (
    <SpaceBetween size="s">
      <PastedField
        label="curl command"
        description="As a shell takes it, such as with “Copy as cURL” of a browser. Nothing of it is sent or kept but the node."
        problem={reading !== null && 'problem' in reading ? reading.problem : null}
        value={text}
        placeholder="curl https://api.example.com/orders -H 'authorization: Bearer …' --json '{&quot;total&quot;: 120}'"
        onChange={setText}
      />
      {request !== null && (
        <div className="any-length" aria-live="polite">
          <Box variant="code">
            {String(request.parameters.method ?? 'GET').slice(0, MAX_SHOWN)}{' '}
            {String(request.parameters.url).slice(0, MAX_SHOWN)}
          </Box>
          {request.credential !== null && (
            <Alert type="info">
              The secret of the command does not get into the workflow. The node names the credential{' '}
              <code>{request.credential.id}</code> of the type <code>{request.credential.type}</code>: create
              it before you save, or choose another at the node.
            </Alert>
          )}
          {request.notes.length > 0 && (
            <ul>
              {request.notes.map((note) => (
                <li key={note}>{note.slice(0, MAX_SHOWN)}</li>
              ))}
            </ul>
          )}
        </div>
      )}
      <Button
        disabled={request === null}
        onClick={() => {
          if (request === null) return;
          const { parameters, timeoutSeconds, credential } = request;
          const node = {
            type: 'httpRequest',
            ...(credential === null ? {} : { credentialId: credential.id }),
            parameters,
            ...(timeoutSeconds === null ? {} : { settings: { timeoutSeconds } }),
          };
          onNode(node, text);
        }}
      >
        {action}
      </Button>
    </SpaceBetween>
  );
};

/** Makes a webhookTrigger from a body that it is to take. */
export const BodyFields = ({ action, onNode }: ImportProps): ReactNode => {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <SpaceBetween size="s">
      <PastedField
        label="JSON body"
        description="A request that the webhook is to take. Its schema has the types and the members; all are required until you change that. What you build is tried on it."
        problem={problem}
        value={text}
        placeholder='{ "id": "A-1", "total": 120 }'
        onChange={(typed) => {
          setProblem(null);
          setText(typed.slice(0, MAX_SAMPLE + 1));
        }}
      />
      <Button
        disabled={text.trim() === ''}
        onClick={() => {
          const reading = attempt(() => readBodySchema(text));
          if ('problem' in reading) setProblem(reading.problem.slice(0, MAX_SHOWN));
          else onNode({ type: 'webhookTrigger', parameters: { schema: reading.value } }, text);
        }}
      >
        {action}
      </Button>
    </SpaceBetween>
  );
};
