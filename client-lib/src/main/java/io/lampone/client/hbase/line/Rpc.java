package io.lampone.client.hbase.line;

import java.io.IOException;
import org.apache.hadoop.hbase.CellScanner;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;

/**
 * Call of HBase's {@code ClientService}.
 *
 * @param <R> message of the reply
 * @param <T> result for the caller
 * @param method its name in the service
 * @param request its argument
 * @param answer prototype of the reply
 * @param priority priority of the call, as HBase's client would set it
 * @param limitNanos its timeout
 * @param reading conversion of the reply
 */
public record Rpc<R extends Message, T>(
    String method,
    Message request,
    R answer,
    int priority,
    long limitNanos,
    Reading<R, T> reading) {

  /** Converts a reply and the cells behind it, before it returns. */
  public interface Reading<R extends Message, T> {
    T read(R answer, CellScanner cells) throws IOException;
  }
}
