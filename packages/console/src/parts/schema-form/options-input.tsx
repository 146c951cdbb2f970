import Autosuggest from '@cloudscape-design/components/autosuggest';
import Box from '@cloudscape-design/components/box';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { JsonObject } from '@hookloom/plugin-kit';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, use, useEffect, useState } from 'react';
import { callApi } from '../../api/api.ts';
import type { Answer } from '../../api/routes.ts';
import { hasExpression } from '../expression/expression-parts.ts';
import { FormContext, type InputProps, toAria, toWord } from './form-context.ts';

const ROUTE = 'POST /api/admin/workflows/options';

type Option = Answer<typeof ROUTE>['options'][number];

interface OptionsInputProps extends InputProps {
  readonly parameter: string;
  readonly isNumber: boolean;
}

/** What is asked for, as it was when the list was opened: not again with each key in another field. */
interface Asked {
  readonly search: string;
  readonly credentialId: string | undefined;
  /** The other parameters. */
  readonly parameters: JsonObject;
}

/** A list shows so many at least, if so many pages have them: a search may find nothing on the first. */
const MIN_SHOWN = 25;
const MAX_PAGES = 20;

/** A value that the service finds names for, and that can be any other. */
export const OptionsInput = (props: OptionsInputProps): ReactNode => {
  const { parameter, names, value, initial, isNumber, onChange } = props;
  const { options: source, parameters } = use(FormContext);
  const { nodeType, credentialId, problem } = source ?? { nodeType: '', problem: null };
  const [asked, setAsked] = useState<Asked | null>(null);
  const [chosen, setChosen] = useState<Option | null>(null);
  // What is typed for a number may be none yet.
  const [draft, setDraft] = useState<string | null>(null);
  const ask = (search: string) =>
    setAsked({ search, credentialId, parameters: { ...parameters, [parameter]: undefined } as JsonObject });
  const query = useInfiniteQuery({
    queryKey: [ROUTE, nodeType, parameter, asked],
    queryFn: async ({ signal, pageParam }) => {
      const body = { ...asked, nodeType, parameter, page: pageParam };
      const found = await callApi(ROUTE, { body, signal });
      if (found.failure !== null) throw new Error(found.failure.message);
      return found;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextPage }) => nextPage,
    enabled: asked !== null && problem === null,
    staleTime: 60_000,
  });
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = query;
  const pages = data?.pages ?? [];
  const found = pages.flatMap(({ options }) => options);
  const wantsMore =
    hasNextPage && !isFetching && error === null && found.length < MIN_SHOWN && pages.length < MAX_PAGES;
  useEffect(() => {
    if (wantsMore) void fetchNextPage();
  }, [wantsMore, fetchNextPage]);

  const known = chosen === null ? found : [chosen, ...found];
  const optionOf = (text: string) => known.find((option) => String(option.value) === text);
  const shown = draft ?? toWord(value);
  const name = optionOf(shown)?.label ?? shown;
  const write = (text: string) => {
    setDraft(text);
    const option = optionOf(text);
    const number = text.trim() === '' ? Number.NaN : Number(text);
    if (text === '') onChange(undefined);
    else if (option !== undefined) onChange(option.value);
    else if (!isNumber || hasExpression(text)) onChange(text);
    else if (Number.isFinite(number)) onChange(number);
  };
  const failure = asked === null ? null : (problem ?? error?.message ?? null);
  const status = isFetching ? 'loading' : failure !== null ? 'error' : hasNextPage ? 'pending' : 'finished';
  return (
    <>
      <Autosuggest
        {...toAria(names)}
        invalid={names.isInvalid === true}
        value={shown}
        placeholder={toWord(initial)}
        options={found.map(({ value: id, label }) => ({
          value: String(id),
          label,
          ...(label === String(id) ? {} : { description: String(id) }),
        }))}
        enteredTextLabel={(text) => `Use “${text}”`}
        statusType={status}
        loadingText="Asking the service"
        errorText={failure ?? ''}
        {...(problem === null ? { recoveryText: 'Try again' } : {})}
        empty="Nothing was found. Any value can be written."
        onFocus={() => ask('')}
        onLoadItems={({ detail }) => {
          if (detail.samePage) void refetch();
          else if (detail.firstPage) ask(detail.filteringText.slice(0, MAX_SEARCH));
          else if (!isFetching) void fetchNextPage();
        }}
        onSelect={({ detail }) => {
          setChosen(optionOf(detail.value) ?? null);
          ask('');
        }}
        onBlur={() => setDraft(null)}
        onChange={({ detail }) => write(detail.value)}
      />
      {name !== shown && <Box color="text-body-secondary">{name}</Box>}
      <div role="status">
        {failure !== null && !isFetching && (
          <StatusIndicator type="warning" wrapText={true}>
            <span className="any-length">{failure}</span>
          </StatusIndicator>
        )}
      </div>
    </>
  );
};

/** Longer texts are no search, in UTF-16 units. */
const MAX_SEARCH = 200;
