package io.lampone.tm.core;

import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.tm.core.validation.BatchOutcome;

/** A node that never answers again. */
final class Retired implements Role {

  @Override
  public void tick() {
    // Nothing is due any more.
  }

  @Override
  public BatchOutcome handle(RequestCursor requests, ReplyWriter replies) {
    return BatchOutcome.SILENT;
  }
}
