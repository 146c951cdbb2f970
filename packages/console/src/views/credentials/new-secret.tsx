import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';

interface NewSecretProps {
  readonly credentialId: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** A generated secret, which no other answer has: the page forgets it when this is closed. */
export const NewSecret = ({ credentialId, secret, onClose }: NewSecretProps): ReactNode => (
  <Modal
    visible={true}
    header={`The new secret of ${credentialId}`}
    closeAriaLabel="Close and forget the secret"
    onDismiss={({ detail }) => {
      if (detail.reason !== 'overlay') onClose(); // not by a click beside it: nothing shows it again
    }}
    footer={
      <Box float="right">
        <Button variant="primary" onClick={onClose}>
          Close and forget the secret
        </Button>
      </Box>
    }
  >
    <SpaceBetween size="m">
      <Alert type="warning">
        Copy it now and give it to the caller in a safe way. It is shown once: the service stores only its
        hash.
      </Alert>
      <div className="any-length">
        <CopyToClipboard
          variant="inline"
          textToCopy={secret}
          copyButtonAriaLabel="Copy the secret"
          copySuccessText="Copied"
          copyErrorText="The browser did not allow copying."
        />
      </div>
    </SpaceBetween>
  </Modal>
);
