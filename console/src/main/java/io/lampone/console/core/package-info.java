/** Figures of the console, from successive answers of the transaction managers. */
@NullMarked
package io.lampone.console.core;

import org.jspecify.annotations.NullMarked;
