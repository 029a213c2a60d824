/** Commands that need Apache Phoenix: {@code sql}, and {@code quickstart --sql}. */
@NullMarked
package io.lampone.sql;

import org.jspecify.annotations.NullMarked;
