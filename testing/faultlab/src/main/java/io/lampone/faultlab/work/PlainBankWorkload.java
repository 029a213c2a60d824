package io.lampone.faultlab.work;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.apache.hadoop.hbase.client.Connection;

/** The bank on a table of plain HBase, without transactions. */
final class PlainBankWorkload implements LabWorkload {

  private static final int AUDITS_IN = 3;

  private final Connection connection;

  PlainBankWorkload(Path site) {
    try {
      this.connection = Connections.plain(site);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void step(LabClientSession session) {
    if (session.random().nextInt(AUDITS_IN) == 0) {
      session.plain(connection, steps -> steps.readAll(BankWorkload.accounts()));
    } else {
      session.plain(connection, steps -> BankWorkload.transfer(session, steps));
    }
  }
}
