package io.lampone.client.hbase.admin;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** Waits of the administrator for a step. */
interface Waiting {

  /** The step's value; its failure is what applications see. */
  <T> T await(CompletableFuture<T> step) throws IOException;
}
