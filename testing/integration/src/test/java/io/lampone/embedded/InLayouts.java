package io.lampone.embedded;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** In which {@link Layout}s a case runs. */
final class InLayouts {

  private InLayouts() {}

  /**
   * The transactions of the case write a common cell, or none: all layouts have the same outcome.
   */
  @ParameterizedTest
  @EnumSource
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @interface EveryLayout {}

  /**
   * Both transactions of the case commit although they write: not where all cells lie in one row
   * and conflicts are by row.
   */
  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "ONE_ROW_LEVEL_ROW")
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @interface EveryLayoutButLevelRow {}

  /** The counterpart of {@link EveryLayoutButLevelRow}. */
  @ParameterizedTest
  @EnumSource(names = "ONE_ROW_LEVEL_ROW")
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @interface LevelRow {}
}
