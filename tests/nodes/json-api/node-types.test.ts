import { nodeTypeChecks } from '@hookloom/plugin-kit/testing';
import { describe, test } from '@jest/globals';
import github from '../../../nodes/github/github.plugin.ts';
import graphql from '../../../nodes/graphql/graphql.plugin.ts';
import rss from '../../../nodes/rss/rss.plugin.ts';
import slack from '../../../nodes/slack/slack.plugin.ts';

const handles = [slack, github, graphql, rss].flatMap((plugin) => plugin.handles);

describe.each(handles.map((handle) => [handle.id, handle] as const))('%s', (_id, handle) => {
  for (const { name, run } of nodeTypeChecks(handle)) test(name, run);
});
