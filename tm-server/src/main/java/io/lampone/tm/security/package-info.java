/** Authentication and permissions of clients. Opens no connection itself. */
@NullMarked
package io.lampone.tm.security;

import org.jspecify.annotations.NullMarked;
