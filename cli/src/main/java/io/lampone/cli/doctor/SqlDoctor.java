package io.lampone.cli.doctor;

import io.lampone.cli.check.Finding;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;

/** Examination of what SQL needs. {@link java.util.ServiceLoader} finds the implementation. */
public interface SqlDoctor {

  /**
   * Examines the cluster and changes nothing in it.
   *
   * @param tables as in SQL, whose indexes are compared with them; all of them if it is empty
   * @param found receives each finding, also those without a problem
   */
  void examine(Configuration configuration, List<String> tables, Consumer<Finding> found)
      throws IOException;
}
