package io.lampone.phoenix;

import java.lang.reflect.Field;
import org.apache.phoenix.transaction.TransactionFactory;

/**
 * Puts Lampone in the place of Phoenix's transaction provider: its jars know Omid only, whose
 * constant is in the catalogue of every cluster. So the constant stays, and what it stands for is
 * replaced.
 */
public final class LamponePhoenix {

  /** Field of Phoenix's enum; it has had this name since Phoenix 5.0. */
  private static final String FIELD = "provider";

  private LamponePhoenix() {}

  /**
   * Does it, unless that is done. Called by itself where connections come from {@link
   * java.sql.DriverManager}; needed before the first connection where Phoenix's driver is called
   * directly.
   *
   * @throws IllegalStateException if this Java or this Phoenix does not let it be done
   */
  public static synchronized void install() {
    if (isInstalled()) {
      return;
    }
    try {
      Field field = TransactionFactory.Provider.class.getDeclaredField(FIELD);
      field.setAccessible(true);
      field.set(TransactionFactory.Provider.OMID, new PhoenixProvider());
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new IllegalStateException(
          "Lampone cannot take the place of Phoenix's transaction provider: Phoenix 5.2 is needed,"
              + " and from Java 26 on the option --enable-final-field-mutation=ALL-UNNAMED, cause="
              + e,
          e);
    }
    if (!isInstalled()) {
      throw new IllegalStateException(
          "Phoenix has kept its own transaction provider, provider="
              + TransactionFactory.Provider.OMID.getTransactionProvider());
    }
  }

  /** Returns true if Phoenix's transactions are Lampone's in this process. */
  public static boolean isInstalled() {
    return TransactionFactory.Provider.OMID.getTransactionProvider() instanceof PhoenixProvider;
  }
}
