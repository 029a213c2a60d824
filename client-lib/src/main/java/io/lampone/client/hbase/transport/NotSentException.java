package io.lampone.client.hbase.transport;

import java.io.IOException;

/**
 * A request has not left this process: no connection could be had. A type of its own, because a
 * server may fail with the same exception as HBase's client does then, after it has done something.
 */
public final class NotSentException extends IOException {

  private static final long serialVersionUID = 1L;

  NotSentException(IOException why) {
    super("the request was not sent", why);
  }
}
