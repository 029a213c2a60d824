package io.lampone.client.hbase.transport;

import io.lampone.client.core.failure.StoreDeniedException;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.hbase.RefusalException;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.Refusal.Advice;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.UnknownScannerException;
import org.apache.hadoop.hbase.exceptions.OutOfOrderScannerNextException;
import org.apache.hadoop.hbase.exceptions.ScannerResetException;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.apache.hadoop.hbase.security.AccessDeniedException;

/** Interpreter of exceptions of HBase's client: refusals of ours, and which may be sent again. */
public final class StoreFailures {

  /** Limit of the examined chain of causes, which may be cyclic. */
  public static final int MAX_CAUSES = 20;

  private StoreFailures() {}

  /** Returns the failure without the wrappers of futures. */
  public static Throwable unwrap(Throwable failure) {
    Throwable inner = failure;
    while ((inner instanceof CompletionException || inner instanceof ExecutionException)
        && inner.getCause() != null) {
      inner = inner.getCause();
    }
    return inner;
  }

  /** Returns the failure; an older region server refuses a read of a kind that it does not know. */
  public static Throwable namingOlderServer(Throwable failure, String what, String instead) {
    if (failure instanceof StoreRefusedException refused
        && refused.refusal().code() == Refusal.Code.MALFORMED) {
      String advice =
          what
              + " needs region servers with the coprocessor of this client's version: upgrade them,"
              + " or use "
              + instead
              + "; ";
      return new StoreRefusedException(
          refused.table(),
          Refusal.of(Refusal.Code.MALFORMED, advice + refused.refusal().detail()),
          failure);
    }
    return failure;
  }

  /** Returns the first failure of the chain that is of {@code type}. */
  public static <T extends Throwable> Optional<T> find(Throwable failure, Class<T> type) {
    Throwable link = failure;
    for (int i = 0; link != null && i < MAX_CAUSES; i++) {
      if (type.isInstance(link)) {
        return Optional.of(type.cast(link));
      }
      link = link.getCause();
    }
    return Optional.empty();
  }

  /** Returns a refusal or an unavailability, as the store's port specifies. */
  public static RuntimeException toStoreFailure(String table, String server, Throwable failure) {
    Throwable cause = unwrap(failure);
    if (cause instanceof StoreRefusedException || cause instanceof StoreUnavailableException) {
      return (RuntimeException) cause;
    }
    Optional<Refusal> refusal = RefusalException.in(cause);
    if (refusal.isPresent()) {
      return new StoreRefusedException(table, refusal.get(), cause);
    }
    if (cause instanceof MalformedException || missesProofFamily(cause)) {
      return missingCoprocessor(table, server, cause);
    }
    if (find(cause, AccessDeniedException.class).isPresent()) {
      return new StoreDeniedException("denied by HBase, table=" + table, cause);
    }
    return new StoreUnavailableException(
        "no usable answer from HBase, table=" + table + " server=" + server, cause);
  }

  /** Returns the refusal for a region server without the coprocessor, whose reply is invalid. */
  public static StoreRefusedException missingCoprocessor(
      String table, String server, Throwable cause) {
    return new StoreRefusedException(
        table,
        Refusal.of(
            Refusal.Code.MALFORMED,
            "a region server answered without Lampone's coprocessor, or with another version of it:"
                + " put the coprocessor's jar on the class path of every region server and restart"
                + " it; if it is there, the server's log says why it was unloaded, table="
                + table
                + " server="
                + server
                + " cause="
                + firstLine(cause)),
        cause);
  }

  /** Returns true if the region server has no coprocessor on the table, as on a plain one. */
  static boolean isMissingCoprocessor(Throwable failure) {
    return find(failure, StoreRefusedException.class)
        .filter(refused -> refused.refusal().code() == Refusal.Code.MALFORMED)
        .map(Throwable::getCause)
        .filter(cause -> cause instanceof MalformedException || missesProofFamily(cause))
        .isPresent();
  }

  /** Returns true if locating a region again cannot help: the table is absent or disabled. */
  static boolean isForGood(Throwable failure) {
    return find(failure, TableNotFoundException.class).isPresent()
        || find(failure, TableNotEnabledException.class).isPresent();
  }

  /**
   * Returns true for a failure of HBase itself that a new scanner may not meet: HBase's client
   * repeats such a call by itself, given more attempts than one.
   */
  public static boolean isForNow(RuntimeException storeFailure) {
    return storeFailure instanceof StoreUnavailableException
        && find(storeFailure, IOException.class).isPresent()
        && (find(storeFailure, DoNotRetryIOException.class).isEmpty()
            || isScannerLost(storeFailure));
  }

  /**
   * Returns true if only the scanner was lost, e.g. with its region: another one may continue.
   * HBase forbids to repeat the call, and its client does not if the first call of a scanner ends
   * so.
   */
  public static boolean isScannerLost(Throwable failure) {
    return find(failure, UnknownScannerException.class).isPresent()
        || find(failure, ScannerResetException.class).isPresent()
        || find(failure, OutOfOrderScannerNextException.class).isPresent();
  }

  /** Returns the message without the server's stack trace, which HBase includes. */
  public static String firstLine(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    int end = message.indexOf('\n');
    return end < 0 ? message : message.substring(0, end);
  }

  /** Returns the advice after a failure; NEVER where HBase itself has failed. */
  static Advice advice(RuntimeException storeFailure) {
    return storeFailure instanceof StoreRefusedException refused
        ? refused.refusal().code().advice()
        : Advice.NEVER;
  }

  /** Returns true if the same request may be sent again. */
  public static boolean mayRepeat(RuntimeException storeFailure) {
    Advice advice = advice(storeFailure);
    return advice == Advice.SAME_REQUEST || advice == Advice.LOCATE_AGAIN;
  }

  private static boolean missesProofFamily(Throwable failure) {
    return missesFamily(failure, true);
  }

  /** Returns true if the region has no such family, and therefore no commit entry in it. */
  public static boolean missesFamily(Throwable failure) {
    return missesFamily(failure, false);
  }

  private static boolean missesFamily(Throwable failure, boolean isProofFamily) {
    return find(failure, NoSuchColumnFamilyException.class)
        .filter(
            e ->
                isProofFamily
                    == String.valueOf(e.getMessage()).contains(Reserved.PROOF_FAMILY.toUtf8()))
        .isPresent();
  }
}
