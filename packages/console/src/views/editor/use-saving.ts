import { useMemo, useState } from 'react';
import { callApi, isOutdated } from '../../api/api.ts';
import { useChange } from '../../api/use-api.ts';
import type { Edit, EditedDefinition } from './definition/definition-edits.ts';
import { readDefinition, writeDefinition } from './definition/definition-text.ts';
import { type Draft, isSameDraft, openDraft } from './draft.ts';
import { type KeptDraft, keepDraft, useKeptDraft } from './kept-draft.ts';
import { mergeDefinitions } from './merge-definitions.ts';

/** A version that this page has stored; `file` if it is in a file, too. */
export interface StoredVersion {
  readonly version: number;
  readonly file?: string | undefined;
}

/** The version that is edited; a new workflow has none. */
export interface Base {
  readonly version: number | null;
  readonly text: string;
}

interface SavingParts {
  /** Empty for a new workflow. */
  readonly workflowId: string;
  /** What the service has. */
  readonly current: Base;
  /** Unsaved work that the draft began with. */
  readonly kept: KeptDraft | null;
  readonly draft: Draft;
  /** The draft at the moment, of which `draft` can be behind. */
  readonly latest: () => Draft;
  /** Called with the edit that merges what others stored. */
  readonly onMerged: (merge: Edit) => void;
  /** Called with the text to begin with again. */
  readonly onDiscarded: (text: string) => void;
  /** Called with the id and the version of a new workflow, once it is stored. */
  readonly onCreated: (workflowId: string, created: StoredVersion) => void;
  /** The first version of the workflow if the page of the new workflow has just stored it; null if not. */
  readonly created: StoredVersion | null;
}

/** What someone stored while this page edited the version before. */
interface Competing {
  readonly was: EditedDefinition;
  readonly theirs: EditedDefinition;
  readonly base: Base;
}

/** Storing a draft as a new version. */
export type Saving = ReturnType<typeof useSaving>;

/** Keeps a draft in this browser until it is stored, and stores it unless someone else stored a version in between. */
export const useSaving = (parts: SavingParts) => {
  const { workflowId, current, kept, draft, latest, onMerged, onDiscarded, onCreated, created } = parts;
  const { definition } = draft;
  const [base, setBase] = useState<Base>(() =>
    kept === null ? current : { version: kept.version, text: kept.base },
  );
  const [isRestored, setRestored] = useState(kept !== null);
  const [competing, setCompeting] = useState<Competing | null>(null);
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set());
  const [failure, setFailure] = useState<Error | null>(null);
  const save = useChange('PUT /api/admin/workflows/{workflowId}');
  const based = useMemo(() => openDraft(base.text), [base.text]);
  const isChanged = useMemo(
    () => (based === null ? draft.text !== base.text : !isSameDraft(draft, based)),
    [draft, based, base.text],
  );
  const forgetKept = useKeptDraft(workflowId, base, isChanged ? draft : null);

  const store = () => {
    const saved = latest(); // what is typed while the save is under way is not part of it
    const { text } = saved;
    const id = workflowId === '' ? String(saved.definition.id) : workflowId;
    setFailure(null);
    save.mutate(
      {
        params: { workflowId: id },
        body: saved.definition,
        headers: base.version === null ? { 'if-none-match': '*' } : { 'if-match': `"${base.version}"` },
      },
      {
        onSuccess: ({ version, file }) => {
          forgetKept();
          if (workflowId === '' && latest() !== saved)
            keepDraft(id, { version, base: text, text: latest().text });
          setRestored(false);
          setBase({ version, text });
          if (workflowId === '') onCreated(id, { version, file });
        },
        onError: (error) => {
          if (isOutdated(error) && base.version !== null) compare().catch(setFailure);
        },
      },
    );
  };
  const compare = async () => {
    const stored = await callApi('GET /api/admin/workflows/{workflowId}', { params: { workflowId } });
    const theirs = stored.definition as unknown as EditedDefinition;
    const reading = readDefinition(base.text);
    if ('problem' in reading)
      throw new Error(`The version that you opened can't be read: ${reading.problem}`);
    setTaken(new Set());
    setCompeting({
      was: reading.definition,
      theirs,
      base: { version: stored.version, text: writeDefinition(theirs) },
    });
  };
  const merged = useMemo(
    () => (competing === null ? null : mergeDefinitions(competing.was, definition, competing.theirs, taken)),
    [competing, definition, taken],
  );
  const conflict =
    competing === null || merged === null
      ? null
      : {
          /** The version that was stored in between. */
          version: competing.base.version,
          conflicts: merged.conflicts,
          /** Names of the conflicts in which theirs is kept. */
          taken,
          take: (name: string, isTheirs: boolean) =>
            setTaken((before) => {
              const others = [...before].filter((each) => each !== name);
              return new Set(isTheirs ? [...others, name] : others);
            }),
          merge: () => {
            onMerged((mine) => mergeDefinitions(competing.was, mine, competing.theirs, taken).definition);
            setBase(competing.base);
            setCompeting(null);
            save.reset();
          },
        };
  const isCreated = created !== null && created.version === base.version;
  const stored: StoredVersion | null = save.isSuccess ? save.data : isCreated ? created : null;
  const refusal = useMemo(
    () =>
      save.error === null
        ? null
        : { error: save.error, definition: save.variables.body as unknown as EditedDefinition, root: '' },
    [save.error, save.variables],
  );
  const isTaken = base.version === null && isOutdated(save.error);

  return {
    version: base.version,
    isChanged,
    isPending: save.isPending,
    store,
    /** What was stored last, if the draft is still that. */
    stored: isChanged ? null : stored,
    /** What the service did not store; null if it did. */
    refusal,
    /** What failed besides a conflict. */
    failure: failure ?? (conflict === null && !isTaken ? save.error : null),
    /** What both changed, with what is chosen of each; null if no version came in between. */
    conflict,
    /** The id of another workflow that the new one would replace. */
    takenId: isTaken ? String(save.variables?.params?.workflowId) : null,
    /** Whether the draft is unsaved work of an earlier visit. */
    isRestored,
    discard: () => {
      onDiscarded(current.text);
      setBase(current);
      setRestored(false);
    },
  };
};
