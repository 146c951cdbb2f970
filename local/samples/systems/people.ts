import { type Answer, isAuthorized, type Routes, sendJson } from './system.ts';

const PAGE_SIZE = 3;

const people = ['Ada', 'Barbara', 'Edsger', 'Grace', 'Katherine', 'Niklaus', 'Tony'].map((name, index) => ({
  id: index + 1,
  name,
  email: `${name.toLowerCase()}@example.com`,
}));

/** A page of the people, for a bearer token; `next` is the URL of the next page, null in the last one. */
const listPeople: Answer = (request, response) => {
  if (!isAuthorized(request)) return sendJson(response, 401, { error: 'a bearer token is required' });
  const page = Number(new URL(request.url ?? '', 'http://localhost').searchParams.get('page') ?? 1);
  const end = page * PAGE_SIZE;
  sendJson(response, 200, {
    people: people.slice(end - PAGE_SIZE, end),
    next: end < people.length ? `/people?page=${page + 1}` : null,
  });
};

/** An API with pages. */
export const peopleRoutes: Routes = [[/^GET \/people$/, listPeople]];
