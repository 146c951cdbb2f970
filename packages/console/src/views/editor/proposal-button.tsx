import Button from '@cloudscape-design/components/button';
import type { ReactNode } from 'react';
import { applyProposal } from '../../../../authoring/validation/proposals/proposal.ts';
import type { Edit, EditedDefinition } from './definition/definition-edits.ts';
import { describeProposal, type Finding } from './problems.ts';

interface ProposalButtonProps {
  readonly finding: Finding;
  readonly onEdit: (edit: Edit) => void;
}

/** Corrects what is wrong, if it is known exactly how. */
export const ProposalButton = ({
  finding: { proposal, definition },
  onEdit,
}: ProposalButtonProps): ReactNode =>
  proposal === undefined ? null : (
    <Button
      variant="inline-link"
      onClick={() =>
        // Its paths are those of the definition that was checked: the next check brings them up to date.
        onEdit((before) =>
          before === definition
            ? (applyProposal(before as never, proposal) as unknown as EditedDefinition)
            : before,
        )
      }
    >
      {describeProposal(proposal)}
    </Button>
  );
