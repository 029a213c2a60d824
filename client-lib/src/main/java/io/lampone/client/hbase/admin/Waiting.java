package io.lampone.client.hbase.admin;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** Waits of the administrator for a step. */
interface Waiting {

  /** Returns the step's value; its failure is translated for applications. */
  <T> T await(CompletableFuture<T> step) throws IOException;
}
