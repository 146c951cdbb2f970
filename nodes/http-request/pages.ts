import {
  type FetchedPages,
  fetchPages,
  type OutboundResponse,
  readBody,
  type Services,
  wrongParameter,
} from '@hookloom/plugin-kit';
import { openNext } from './next-page.ts';
import type { Parameters } from './send.ts';

/**
 * Fetches the pages that the parameters of a node ask for.
 * @param send - `page` is counted from 1
 * @throws TypeError that names the wrong parameter, or the error of `send`
 */
export const fetchGivenPages = async (
  url: string,
  given: Parameters,
  send: (url: string, page: number) => Promise<OutboundResponse>,
  services: Pick<Services, 'clock' | 'ids'>,
): Promise<FetchedPages> => {
  const { responseType, pagination, next } = given;
  if (pagination === 'none' || responseType === 'text' || responseType === 'file')
    throw wrongParameter('responseType', 'auto or json with pagination', responseType);
  return fetchPages(
    url,
    { ...given, pagination },
    {
      send,
      readBody: (response) => readBody(response, responseType),
      readNext: next === '' ? null : await openNext(next, services),
      wrong: wrongParameter,
    },
  );
};
