import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Call, callApi, Problem } from '../api/api.ts';
import { type Found, findViews, isExecutionId, rankFound } from './search-results.ts';
import { sections } from './views.ts';

/** How many of each kind are shown. */
const LIMIT = 5;

/** So long a text must stay the same before it is searched for. */
const PAUSE_MS = 120;

/** Searches everything that has a view of its own. @param text - what has been typed */
export const useSearch = (text: string) => {
  const settled = useSettled(text.trim());
  const query = useQuery({
    queryKey: ['search', settled],
    queryFn: ({ signal }) => searchService(settled, signal),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  });
  const views = findViews(text, sections);
  const others = text.trim() === '' ? [] : (query.data ?? []);
  return {
    found: rankFound(text, [...others, ...views]),
    isSearching: text.trim() !== '' && (query.isFetching || settled !== text.trim()),
    error: query.error,
  };
};

const useSettled = (text: string): string => {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
};

const searchService = async (text: string, signal: AbortSignal): Promise<Found[]> => {
  const asked: Call = { query: { text, limit: LIMIT }, signal };
  const found = await Promise.all([
    isExecutionId(text) ? findExecution(text, signal) : [],
    callApi('GET /api/admin/workflows', asked).then(({ workflows }) =>
      workflows.map(({ id, name }) => toFound('Workflows', id, name, '/workflows')),
    ),
    callApi('GET /api/admin/node-types', asked).then(({ nodeTypes }) =>
      nodeTypes.map(({ nodeType, name }) => toFound('Node types', nodeType, name, '/node-types')),
    ),
    callApi('GET /api/admin/credentials', asked).then(({ credentials }) =>
      credentials.map(({ id, type }) => toFound('Credentials', id, type, '/credentials')),
    ),
  ]);
  return found.flat();
};

const toFound = (group: string, label: string, detail: string, path: string): Found => ({
  group,
  label,
  detail: detail === label ? '' : detail,
  path: `${path}/${encodeURIComponent(label)}`,
});

const findExecution = async (executionId: string, signal: AbortSignal): Promise<Found[]> => {
  try {
    const call = { params: { executionId }, signal };
    const { workflowId } = await callApi('GET /api/admin/executions/{executionId}', call);
    return [toFound('Executions', executionId, workflowId, '/executions')];
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return [];
    throw error;
  }
};
