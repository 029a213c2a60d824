package io.lampone.client.hbase;

import io.lampone.client.core.OpenTransaction;
import io.lampone.protocol.tm.TimestampOracle;
import java.io.IOException;
import org.apache.hadoop.hbase.client.TableDescriptor;

/** Under construction. */
final class PlainRewrite {

  PlainRewrite(
      StoreAccess access,
      TimestampOracle oracle,
      OpenTransaction.Services services,
      Waiting waiting) {}

  void rewrite(TableDescriptor table) throws IOException {
    throw new UnsupportedOperationException("under construction");
  }
}
