/** Web console: a page and JSON about the transaction managers, read only. */
@NullMarked
package io.lampone.console;

import org.jspecify.annotations.NullMarked;
