package io.lampone.client.hbase.line;

import java.io.IOException;
import org.apache.hadoop.hbase.CellScanner;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;

/**
 * A call of HBase's {@code ClientService}.
 *
 * @param <R> the message that answers it
 * @param <T> what the caller makes of that
 * @param method its name there
 * @param request its argument
 * @param answer any message of the kind that answers it
 * @param priority of the call, as HBase's client would set it
 * @param limitNanos how long it may take
 * @param reading what is made of the answer
 */
public record Rpc<R extends Message, T>(
    String method,
    Message request,
    R answer,
    int priority,
    long limitNanos,
    Reading<R, T> reading) {

  /** Makes something of an answer and the cells behind it, before it returns. */
  public interface Reading<R extends Message, T> {
    T read(R answer, CellScanner cells) throws IOException;
  }
}
