/** Who may talk to the transaction manager, and how that is proved. Opens no connection itself. */
@NullMarked
package io.lampone.tm.security;

import org.jspecify.annotations.NullMarked;
