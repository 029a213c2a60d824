package io.lampone.phoenix;

import java.util.regex.Pattern;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.launcher.PostDiscoveryFilter;

/** Leaves out the variants of parameterized tests whose tables are not transactional. */
public final class TransactionalVariants implements PostDiscoveryFilter {

  private static final Pattern PLAIN =
      Pattern.compile("\\[.*(transactionProvider=null|transactional=false)");

  @Override
  public FilterResult apply(TestDescriptor test) {
    return FilterResult.includedIf(!test.isTest() || !PLAIN.matcher(test.getDisplayName()).find());
  }
}
